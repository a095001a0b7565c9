import type { LoadHook } from 'node:module';

/** The table of access with one more row. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (!url.includes('/shared/capabilities.ts')) return loaded;
  const source = String(loaded.source);
  const planted = source.replace(/\bviewer:\s*\{/, `auditor: { name: 'Auditor', may: ['audit.read'] }, $&`);
  if (planted === source) throw new Error('the table of access has no row for viewers');
  return { ...loaded, source: planted };
};
