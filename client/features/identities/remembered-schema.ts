import { remember, remembered } from '../../lib/tab-storage.ts';

const KEY = 'identities.schema';

/** The only schema, or the schema last chosen in this browser if it still exists. */
export const rememberedSchema = (schemas: readonly { id: string }[]): string | undefined =>
  schemas.length === 1 ? schemas[0]?.id : schemas.find(({ id }) => id === remembered(KEY))?.id;

export const rememberSchema = (id: string): void => remember(KEY, id);
