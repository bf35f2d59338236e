/** Names that differ in a mark, a letter or case, and are of different artists. */
export const alike: readonly (readonly [string, string])[] = [
  ['Ann', 'Änn'], ['Beyonce', 'Beyoncé'], ['Sigur Ros', 'Sigur Rós'], ['Maße', 'Masse'], ['Ørsted', 'Orsted'],
  ['мои', 'мой'], ['はは', 'ばば'], ['カ', 'ガ'], ['कम', 'कुम'], ['กา', 'ก่า'], ['שלום', 'שָׁלוֹם'], ['سلام', 'سَلام']
]
