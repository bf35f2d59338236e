export const usage = `npm run account -- COMMAND

  add NAME [LABEL]         makes an account, or one more token for it, and prints the token and the page's link
  app-password NAME [APP]  makes a password for Subsonic apps that say "wrong password" to the token, and prints it
  link NAME [LABEL]        prints a link to the page that signs in as NAME, once, within a day
  list                     the accounts, their tokens, app passwords and connections
  connect NAME SERVICE     has listenbrainz or lastfm told what NAME listens to; reads the token or session key
  connect NAME SOURCE      gives NAME favourites and playlists of its own at subsonic, source, subsonic_2, ...;
                           reads its name and its password there, a line each, or its token
  disconnect NAME SERVICE  ends that
  share NAME on|off        says whether other accounts see in their apps what NAME plays now; off at first
  allow NAME               what NAME may see and do, where that is not all
  allow NAME SETTING VALUE genres GENRE..., folders FOLDER..., bitrate KBITS: those only, or all;
                           explicit, download, delete, share: on or off
  rotate NAME | ID         replaces a token by a new one, and prints that
  revoke ID                makes a token or an app password useless
  remove NAME              asks, and then removes an account; what it had is left as a file that import takes
  export NAME              prints all that is kept for an account, as JSON
  export NAME PLAYLIST     prints a playlist, by its name or id, as M3U8
  import NAME < FILE       adds what an exported account or an M3U8 playlist has
  backup FILE              copies all that is kept for all accounts to a new file, while the source runs too
  restore FILE             replaces all that is kept for all accounts by what such a file has
  forget-missing           forgets the tracks whose files are not there, those of a disk that is away too`
