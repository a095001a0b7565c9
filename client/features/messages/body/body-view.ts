export const BODY_VIEWS = ['text', 'formatted', 'source'] as const;
export type BodyView = (typeof BODY_VIEWS)[number];

/** What the address of a message carries: how its body is shown. Absent for text. */
export interface BodySearch {
  as?: Exclude<BodyView, 'text'>;
}

export const bodySearch = ({ as: wanted }: Record<string, unknown>): BodySearch => ({
  as: wanted === 'formatted' || wanted === 'source' ? wanted : undefined,
});
