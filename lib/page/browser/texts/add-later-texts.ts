import { addTexts } from './index.ts'
import { laterDictionary } from './later-dictionary.ts'

// For whoever imports this: the start of the page is smaller without them.
addTexts(laterDictionary)
