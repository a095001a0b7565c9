/** The states the identity service has today; any other is shown as it is. */
export const formatState = (state: string): string =>
  ({ active: 'Active', inactive: 'Inactive' })[state] ?? (state === '' ? 'unknown' : state);
