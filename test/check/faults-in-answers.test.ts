import { faultsInAnswers } from './faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(faultsInAnswers)
