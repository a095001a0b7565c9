/**
 * The entity tag of a response. A compressing proxy makes tags weak, and weak tags never match `If-Match` (RFC 9110,
 * 13.1.1).
 */
export const tagOf = (response: Response): string => (response.headers.get('ETag') ?? '').replace(/^W\//, '');
