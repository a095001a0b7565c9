/**
 * Where a session was begun. Until its place is looked up its address stands there.
 * @param place null where none is known
 */
export const formatPlace = (place: string | null | undefined, address: string | undefined): string =>
  place ?? (place === undefined ? address : undefined) ?? 'Unknown location';
