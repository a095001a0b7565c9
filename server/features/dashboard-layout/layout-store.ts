import type { DashboardLayout } from '../../../shared/dashboard-layout.ts';
import type { Database } from '../../db/database.ts';

/** Each operator's arrangement of the overview. */
export interface LayoutStore {
  find(identityId: string): Promise<DashboardLayout>;
  save(identityId: string, layout: DashboardLayout): Promise<void>;
}

/** @param now milliseconds */
export function layoutStore(database: Database, now: () => number): LayoutStore {
  const read = database.statement<{ layout: string }>('select layout from dashboard_layouts where identity_id = ?');
  return {
    async find(identityId) {
      const row = await read.get(identityId);
      return { layout: row === undefined ? null : JSON.parse(row.layout) };
    },
    async save(identityId, { layout }) {
      await database.transaction(async (trx) => {
        const own = trx('dashboard_layouts');
        if (layout === null) await own.where({ identity_id: identityId }).delete();
        else
          await own
            .insert({
              identity_id: identityId,
              layout: JSON.stringify(layout),
              updated_at: new Date(now()).toISOString(),
            })
            .onConflict('identity_id')
            .merge();
      });
    },
  };
}
