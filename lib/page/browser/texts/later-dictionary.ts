/** Texts of parts that are loaded later. */
export const laterDictionary = {
  accountData: ['Data', '数据'],
  add: ['Add', '添加'],
  addPerson: ['Add a person', '添加成员'],
  addPersonAbout: ['You get a link to send. It signs in once, within a day.', '你会得到一个可以发送的链接，一天内可登录一次。'],
  addSource: ['Add a source', '添加音源'],
  addSourceAbout: [
    'A source at another address. It has to allow requests from this page (CORS).',
    '另一个地址的音源，须允许本页面访问（CORS）。'
  ],
  answer: ['Answer', '响应'],
  apiReference: ['API reference', 'API 参考'],
  appPassword: ['Password', '密码'],
  appPasswordName: ['Name of the app', '应用名称'],
  appPasswordOnce: ['Enter this in the app now: the password is not shown again.', '请现在填入应用：密码不会再次显示。'],
  appPasswords: ['App passwords', '应用密码'],
  appPasswordsAbout: [
    'A password for each of your Subsonic apps. You can revoke any of them.',
    '供 Subsonic 音乐应用登录，每个应用一个，可随时撤销。'
  ],
  backup: ['Backup', '备份'],
  backupMake: ['Make a backup', '创建备份'],
  backups: ['Backups', '备份'],
  backupsAbout: ['A backup is a file on the server with all accounts.', '备份是服务器上的文件，包含所有账户。'],
  capabilities: ['Capabilities', '能力'],
  checkAbout: [
    'Sends the requests that a client would, and reports what is wrong. It changes nothing.',
    '像客户端一样检查，不作更改。'
  ],
  checkElsewhere: ['To check a source on another server, run this in a terminal:', '检查其他地址的音源，请在终端运行：'],
  checkNotChecked: ['no data to check it with', '没有可用于检查的数据'],
  checkNotLoaded: [
    'Media on other servers is not loaded by this check. To include it, run: npx fastify-source-origin check',
    '未加载其他地址的媒体。要一并检查，请运行：npx fastify-source-origin check'
  ],
  checkNotOffered: ['the source does not offer it', '音源未提供'],
  checkNotRun: ['it would change data', '会修改数据，因此未运行'],
  checkRun: ['Run the check', '运行检查'],
  comment: ['Comment', '备注'],
  connect: ['Connect', '连接'],
  connections: ['Connections', '连接'],
  context: ['Context', '上下文'],
  copied: ['Copied', '已复制'],
  continueFrom: [
    'Continue at {position}, from {device} ({time})', '从 {position} 继续，来自 {device}（{time}）'
  ],
  copyText: ['Copy', '复制'],
  credits: ['Credits', '制作人员'],
  declared: ['declared', '已声明'],
  devices: ['Signed-in devices', '已登录的设备'],
  deviceName: ['Name of this device', '此设备的名称'],
  devicesAbout: [
    'Browsers and links that open this account. End those that you do not know, or have lost.',
    '能打开此账户的浏览器和链接。不认识或已丢失的请撤销。'
  ],
  disconnect: ['Disconnect {title}', '断开 {title}'],
  errorsToday: ['Errors today', '今天的错误'],
  everyone: ['Everyone', '所有人'],
  export: ['Export the account', '导出账户'],
  exportPlaylist: ['Export as M3U8', '导出为 M3U8'],
  fileTooLarge: [
    'The file is too large for the page, which sends at most {most}. Use npm run account.',
    '文件过大，页面最多发送 {most}。请使用 npm run account。'
  ],
  filter: ['Filter', '筛选'],
  forget: ['Forget {name}', '移除 {name}'],
  forgetMissing: ['Forget missing tracks', '忘记缺失的歌曲'],
  forgetMissingSure: [
    'Removes tracks whose files are missing, also on disks that are not connected. This cannot be undone.',
    '将忘记文件缺失的歌曲，包括未连接的磁盘上的。此操作无法撤销。'
  ],
  forgetNow: ['Forget', '忘记'],
  gainAlbum: ['By album', '按专辑'],
  gainTrack: ['By track', '按歌曲'],
  hide: ['Hide', '隐藏'],
  homeEmpty: ['This source has nothing to browse. Try a search.', '这个音源没有可浏览的内容，试试搜索。'],
  import: ['Import', '导入'],
  importAbout: ['An exported account (JSON) or a playlist (M3U8).', '导出的账户（JSON）或歌单（M3U8）。'],
  importFile: ['File to import', '要导入的文件'],
  importSure: [
    'This adds the contents of {file} to {name}. Playlists with the same id are replaced.',
    '将把 {file} 的内容加入“{name}”。同一 id 的歌单会被替换。'
  ],
  importTo: ['Import to {name}', '导入到“{name}”'],
  keyFavorite: ['Favourite the current track', '收藏正在播放的歌曲'],
  keyMove: ['Move a track in the queue or your playlist', '在队列或自己的歌单中移动歌曲'],
  keyPlay: ['Play and pause', '播放/暂停'],
  keyPlayer: ['Go to the player', '转到播放器'],
  keySeek: ['Back or forward 5 seconds', '后退/前进五秒'],
  keySelect: ['Select tracks', '选择歌曲'],
  keysOn: ['Single-key shortcuts', '启用单字符快捷键'],
  keyWalk: ['Move through a list', '在列表中移动'],
  leftOut: ['Left out', '未读取的内容'],
  limitAllowed: ['Allowed', '允许'],
  limitBitrate: ['Maximum bit rate', '最高比特率'],
  limitBitrateAbout: ['In kbit/s. Blank: no limit.', '单位 kbit/s。留空则不限制。'],
  limitDelete: ['Delete playlists', '删除歌单'],
  limitDownload: ['Save files', '保存文件'],
  limited: ['Limited: {what}', '受限：{what}'],
  limitExplicit: ['Explicit tracks', '含不良内容的歌曲'],
  limitFolders: ['Folders', '文件夹'],
  limitFoldersAbout: ['One per line: only these. Blank: all of the music.', '每行一个，仅限这些。留空则为全部音乐。'],
  limitGenres: ['Genres', '流派'],
  limitGenresAbout: ['Only these. None selected: all.', '仅限所选。不选则为全部。'],
  limitNone: ['No limits', '无限制'],
  limits: ['Limits', '限制'],
  limitShare: ['Share playlists', '分享歌单'],
  link: ['Link', '链接'],
  linkAsk: [
    'You are already signed in. The other token works too.',
    '你已登录。另一个令牌同样有效。'
  ],
  linkAskNames: ['You are signed in as {name}. Sign in as {other}?', '你已登录为“{name}”。要登录为“{other}”吗？'],
  linkKeep: ['Stay signed in', '保持当前登录'],
  linkLoses: [
    'With another account, the queue and history in this browser are removed.', '若是另一个账户，此浏览器中的队列和历史会被清除。'
  ],
  linkNew: ['New link', '新链接'],
  linkOnce: [
    'Send this link to {name}. It signs in once, within a day. It is not shown again.',
    '请把此链接发给“{name}”。一天内可登录一次，不会再次显示。'
  ],
  linkParks: [
    '{name} stays in this browser, with its queue and history: switch in the menu of the account.',
    '“{name}”及其队列和历史仍留在此浏览器中，可在账户菜单中切换。'
  ],
  linkOther: ['Another token', '另一个令牌'],
  log: ['Log', '日志'],
  loginPassword: ['Password at {title}', '{title} 的密码'],
  loginUser: ['User name at {title}', '{title} 的用户名'],
  needsAccount: ['needs an account', '需要账户'],
  noMusic: ['No music was found in {folder}', '在 {folder} 中没有找到音乐'],
  noStars: ['No rating', '不评分'],
  notDeclared: ['not declared', '未声明'],
  operations: ['Operations', '接口'],
  path: ['Path', '路径'],
  places: ['View', '视图'],
  playingHidden: ['Other accounts do not see what {name} is playing.', '其他账户看不到“{name}”正在播放什么。'],
  playingHide: ['Hide what is playing', '隐藏正在播放'],
  playingShow: ['Show what is playing', '显示正在播放'],
  playingShown: ['Other accounts see what {name} is playing.', '其他账户能看到“{name}”正在播放什么。'],
  playHere: ['Play here', '在此播放'],
  playsOn: ['Playing on {device}', '正在 {device} 上播放'],
  privateListening: ['Private listening', '私密收听'],
  privateListeningAbout: [
    'This browser reports nothing that it plays, and has its own queue.', '此浏览器不报告播放内容，并使用自己的队列。'
  ],
  qr: ['QR code that adds this source to an app', '把这个音源交给应用的二维码'],
  qualities: ['Qualities', '音质'],
  qualityMobile: ['Automatic on mobile data', '移动数据下的自动音质'],
  qualitySame: ['Same as on Wi-Fi', '与 Wi-Fi 相同'],
  qualitySmallest: ['Smallest quality', '最小音质'],
  rating: ['Rating', '评分'],
  removeAccount: ['Remove {name}', '移除“{name}”'],
  removeAccountSure: [
    'This removes the account {name}: its tokens, app passwords and plays, and its playlists ({playlists}) and ' +
    'favourites ({favorites}). A file with its data stays on the server.',
    '将移除账户“{name}”：令牌、应用密码、播放记录、歌单（{playlists}）和收藏（{favorites}）。其数据会保存为服务器上的文件。'
  ],
  removedAccount: [
    '{name} is removed. Its playlists, favourites and plays are in {file}',
    '“{name}”已移除。其歌单、收藏和播放记录在 {file}'
  ],
  removeNow: ['Remove', '移除'],
  removeOther: ['The name does not match: {name}', '名称不符：{name}'],
  removeType: ['Type the name: {name}', '请输入名称：{name}'],
  replace: ['Replace {name}', '更换 {name}'],
  replaceNow: ['Replace', '更换'],
  replaceSure: [
    'You get a new token, and the present one no longer works. This cannot be undone.',
    '你会得到新的令牌，现有的不再有效。此操作无法撤销。'
  ],
  requests: ['Requests made by this page', '本页面的请求'],
  required: ['required', '必填'],
  restore: ['Restore', '恢复'],
  restoreSure: [
    'This replaces all accounts and their tokens by the backup. Later changes are lost.',
    '将用备份中的账户和令牌替换所有账户。之后的更改会丢失。'
  ],
  revoke: ['Revoke {name}', '撤销 {name}'],
  revoked: ['“{name}” is revoked', '已撤销“{name}”'],
  revokeNow: ['Revoke', '撤销'],
  revokeSure: [
    'What uses it will no longer be able to sign in. This cannot be undone.',
    '使用它的应用或浏览器将无法登录。此操作无法撤销。'
  ],
  queueLimit: ['A queue has at most {count} tracks', '队列最多 {count} 首'],
  queueOffer: ['{app} has another queue ({count})', '{app} 有另一个队列（{count} 首）'],
  queueReplaced: [
    'This is your queue from another device. You had {count} track{s} here.', '这是你在另一设备上的队列。此处原有 {count} 首。'
  ],
  scan: ['Scan for new music', '查找新音乐'],
  scanEnded: ['Ended', '结束时间'],
  scanFailed: ['The scan failed. The log of the server has the reason.', '扫描失败，原因见服务器日志。'],
  scanGone: ['Files deleted', '已删除的文件'],
  scanLast: ['Last scan', '上次扫描'],
  scanRead: ['Files read', '已读取的文件'],
  scanSoFar: ['Scanning: {count} track{s} so far', '正在扫描，已有 {count} 首'],
  scanStart: ['Scan', '扫描'],
  secondsUnit: ['s', '秒'],
  send: ['Send', '发送'],
  services: ['Scrobbling', '收听记录'],
  servicesAbout: ['Send what you play to these services. Each needs your own token.', '可用你在这些服务的令牌，把收听记录告诉它们。'],
  serviceToken: ['Token of {title}', '{title} 的令牌'],
  sourceAvailable: ['Available', '可用'],
  sourceStates: ['Music sources', '音乐来源'],
  unavailable: ['Currently unavailable', '暂时无法播放'],
  sourceUnavailable: ['Not available since {time}. {reason}', '自 {time} 起不可用。{reason}'],
  shareEdit: ['May change it', '可以编辑'],
  shareHear: ['May play it', '可以收听'],
  shareNo: ['Not shared', '不分享'],
  shareOf: ['Share {name}', '分享“{name}”'],
  sleepAt: ['At {time}', '{time}'],
  sleepIn: ['In {minutes} minutes', '{minutes} 分钟后'],
  sleepTrack: ['At the end of this track', '播完当前歌曲'],
  sortAdded: ['Added', '添加时间'],
  sortOptions: ['Playlist sort orders', '歌单排序方式'],
  sortRandom: ['Random', '随机'],
  stars: ['{count} star{s}', '{count} 星'],
  stateful: ['With an account', '有账户'],
  stateless: ['None (stateless)', '无（无状态）'],
  storage: ['Storage', '存储'],
  storedAccounts: ['Accounts', '账户'],
  storedCovers: ['Covers', '封面'],
  storedFree: ['Free on the disk', '磁盘可用空间'],
  storedIndex: ['Index of the music', '音乐索引'],
  storedOther: ['Other files', '其他文件'],
  storedRemoved: ['Removed accounts', '已移除的账户'],
  storedTranscoded: ['Transcodings', '转码文件'],
  takeOver: ['Connect an app', '带走音源'],
  takeOverAbout: [
    'A link and a QR code for an app on a phone. They contain your token, so keep them private.',
    '给手机应用的链接和二维码，含令牌勿外传。'
  ],
  takeOverImpossible: [
    'The address, token or name contains an &, which cannot be part of the link.',
    '地址、令牌或名称中有 &，链接无法表示。'
  ],
  thisBrowser: ['This browser', '本浏览器'],
  tokenOnce: ['Copy this token now: it is not shown again.', '请现在复制此令牌：不会再次显示。'],
  url: ['Address', '地址'],
  urlWrong: ['Enter an address such as https://music.example.com', '这不是音源的地址：https://music.example.com'],
  usedLast: ['· {day} · {by}', '· {day} · {by}'],
  userName: ['User name', '用户名'],
  version: ['Version', '版本'],
  year: ['Year', '年份']
} as const satisfies Record<string, readonly [string, string]>
