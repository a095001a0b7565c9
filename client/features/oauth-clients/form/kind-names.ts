export const KIND_NAMES = ['web', 'browser', 'native', 'machine', 'device'] as const;
export type KindName = (typeof KIND_NAMES)[number];

/** The kind of application in a URL; undefined if it names none. */
export const kindIn = (value: unknown): KindName | undefined => KIND_NAMES.find((name) => name === value);
