/** Kinds of timeline entries; the URL of the tab may name one. */
const TIMELINE_KINDS = ['trail', 'record', 'sessions', 'messages', 'consents', 'locks'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** Search parameters of a record page with a timeline. */
export const timelineSearch = ({ kind }: Record<string, unknown>): { kind?: TimelineKind | undefined } => ({
  kind: TIMELINE_KINDS.find((known) => known === kind),
});
