/** The page's state that a link carries. */
export interface ConsentsSearch {
  /** Whose: the OAuth subject, exactly. */
  subject?: string;
  /** Only what was granted to the client with this id. */
  client?: string;
}

export const consentsSearch = (search: Record<string, unknown>): ConsentsSearch => ({
  ...member('subject', search.subject),
  ...member('client', search.client),
});

const member = (name: keyof ConsentsSearch, value: unknown): ConsentsSearch => {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? {} : { [name]: text };
};
