export const usage = `npm run account -- COMMAND

  add NAME [LABEL]         Create an account, or another token for it, and print the token and the page's link
  app-password NAME [APP]  Create a password for Subsonic apps that reject the token, and print it
  link NAME [LABEL]        Print a link that signs in to the page as NAME, once, within a day
  list                     Print the accounts, their tokens, app passwords and connections
  connect NAME SERVICE     Send the plays of NAME to listenbrainz or lastfm; reads the token or session key from stdin
  connect NAME SOURCE      Give NAME its own favourites and playlists at subsonic, source, subsonic_2, ...;
                           reads the user name and the password (one per line) or the token from stdin
  disconnect NAME SERVICE  Remove a connection
  share NAME on|off        Show other accounts what NAME is playing (default: off)
  allow NAME               Print the limits of NAME
  allow NAME SETTING VALUE Set a limit: genres GENRE..., folders FOLDER..., bitrate KBITS, or all;
                           explicit, download, delete, share: on or off
  rotate NAME | ID         Replace a token by a new one, and print it
  revoke ID                Revoke a token or an app password
  unbind NAME SUBJECT      Remove the binding of NAME to a person at a provider, as list prints it
  remove NAME              Remove an account after a question; keeps its data in a file for import
  export NAME              Print all data of an account as JSON
  export NAME PLAYLIST     Print a playlist, by its name or id, as M3U8
  import NAME < FILE       Add the data of an exported account or an M3U8 playlist
  backup FILE              Copy the data of all accounts to a new file, also while the source runs
  restore FILE             Replace the data of all accounts by a backup
  forget-missing           Remove the tracks whose files are missing, also on disks that are not mounted`
