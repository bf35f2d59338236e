import t from 'tap'
import { faultsInRequests } from './faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(t, faultsInRequests)
