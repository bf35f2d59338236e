export {
  createAccountUpstream, type AccountSessions, type AccountUpstream, type AccountUpstreamOptions, type LoginCall
} from './account-upstream.ts'
export { createUpstream } from './create-upstream.ts'
export type {
  Upstream, UpstreamResponse, UpstreamOptions, UpstreamRequest, UpstreamScope, UpstreamStats
} from './upstream.ts'
export {
  createCursorStore, cursorPager, type CursorPage, type CursorPager, type CursorPagerOptions, type CursorStore,
  type Cursors, type OffsetPage
} from './cursor-pager.ts'
export { path } from './path.ts'
export { chooseQuality } from './choose-quality.ts'
export { urlExpiry } from '../text/url-expiry.ts'
