import { createHash } from 'node:crypto';
import type { DashboardLayout } from '../../../shared/dashboard-layout.ts';
import type { Database } from '../../db/database.ts';

/** A layout and its strong entity tag (RFC 9110, section 8.8.3). */
export interface TaggedLayout {
  layout: DashboardLayout;
  tag: string;
}

/** Each operator's layout of the overview. */
export interface LayoutStore {
  find(identityId: string): Promise<TaggedLayout>;
  /**
   * @param isExpected called with the tag of the stored layout, atomically with the write
   * @returns the new tag, or undefined if the stored layout was not the expected one
   */
  save(identityId: string, layout: DashboardLayout, isExpected: (tag: string) => boolean): Promise<string | undefined>;
}

/** Stored for an operator who never changed the layout or reset it. */
const NO_LAYOUT = 'null';

/** @param now milliseconds */
export function layoutStore(database: Database, now: () => number): LayoutStore {
  const read = database.statement<{ layout: string }>('select layout from dashboard_layouts where identity_id = ?');
  return {
    async find(identityId) {
      const text = (await read.get(identityId))?.layout ?? NO_LAYOUT;
      return { layout: { layout: JSON.parse(text) }, tag: tagOf(text) };
    },
    save: (identityId, { layout }, isExpected) =>
      database.transaction(async (trx) => {
        const own = { identity_id: identityId };
        const updated_at = new Date(now()).toISOString();
        // Insert a row first, so that it can be locked: of two concurrent first saves, the second one waits here.
        await trx('dashboard_layouts')
          .insert({ ...own, layout: NO_LAYOUT, updated_at })
          .onConflict('identity_id')
          .merge(own);
        const stored: { layout: string } | undefined = await trx('dashboard_layouts')
          .where(own)
          .forUpdate()
          .first('layout');
        if (!isExpected(tagOf(stored?.layout ?? NO_LAYOUT))) return undefined;
        const text = JSON.stringify(layout);
        await trx('dashboard_layouts').where(own).update({ layout: text, updated_at });
        return tagOf(text);
      }),
  };
}

const tagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
