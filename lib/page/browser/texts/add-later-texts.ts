import { addTexts } from './index.ts'
import { laterDictionary } from './later-dictionary.ts'

// Imported for its effect. Without these texts the initial part of the page is smaller.
addTexts(laterDictionary)
