import t from 'tap'
import { faultsInAnswers } from './faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(t, faultsInAnswers)
