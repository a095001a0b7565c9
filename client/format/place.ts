/**
 * Where a session was started; its IP address until the place is known.
 * @param place null when unknown
 */
export const formatPlace = (place: string | null | undefined, address: string | undefined): string =>
  place ?? (place === undefined ? address : undefined) ?? 'Unknown location';
