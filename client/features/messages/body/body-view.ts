export const BODY_VIEWS = ['text', 'formatted', 'source'] as const;
export type BodyView = (typeof BODY_VIEWS)[number];

/** Search parameters of a message's page: how its body is shown; absent for text. */
export interface BodySearch {
  as?: Exclude<BodyView, 'text'>;
}

export const bodySearch = ({ as: wanted }: Record<string, unknown>): BodySearch => ({
  as: wanted === 'formatted' || wanted === 'source' ? wanted : undefined,
});
