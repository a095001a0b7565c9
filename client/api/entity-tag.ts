/**
 * The entity tag of a response; undefined if a proxy has dropped it: whoever writes then compares with what is stored, before it
 * is overwritten. Compressing proxies make tags weak, and earlier versions of the service refuse those.
 */
export const tagOf = (response: Response): string | undefined =>
  response.headers.get('ETag')?.replace(/^W\//, '') || undefined;
