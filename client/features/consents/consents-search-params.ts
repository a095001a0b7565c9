/** The search parameters of the page. */
export interface ConsentsSearch {
  /** The exact OAuth subject. */
  subject?: string;
  /** Shows only consents to the client with this id. */
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
