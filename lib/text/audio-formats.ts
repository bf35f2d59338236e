const lossless = ['flac', 'wav', 'alac', 'aiff', 'aif', 'ape', 'wv', 'tta', 'dsf', 'dff', 'shn']

const rare = ['aiff', 'aif', 'ape', 'wv', 'tta', 'dsf', 'dff', 'shn', 'wma', 'mpc']

/** Returns whether few players support a format. @param format its file extension */
export const isRare = (format = ''): boolean => rare.includes(format.toLowerCase())

/** Returns whether a format is lossless. @param format its file extension */
export const isLossless = (format = ''): boolean => lossless.includes(format.toLowerCase())
