// A program: prints, as JSON, what a role gets that has been added as one row to the table of access.
import { register } from 'node:module';
import type { Role } from '../../shared/capabilities.ts';

register('./style-sheet-hooks.ts', import.meta.url);
register('./planted-role-hooks.ts', import.meta.url);

export interface PlantedRole {
  /** The status of each request, by method and path. */
  statuses: Record<string, number>;
  /** The pages that the app offers. */
  pages: string[];
}

// What is imported statically would be loaded before the row is there.
const { can } = await import('../../shared/capabilities.ts');
const { PAGES } = await import('../../client/app/navigation.tsx');
const { ROUTES } = await import('../../docs/openapi/routes.ts');
const { startDashboard } = await import('./dashboard.ts');
const { indexReady } = await import('./index-ready.ts');

const role = 'auditor' as Role;
const dashboard = await startDashboard();
try {
  await indexReady(dashboard, await dashboard.signIn('admin'));
  const session = await dashboard.signIn(role);
  const statuses: PlantedRole['statuses'] = {};
  for (const { method, examples = [] } of ROUTES)
    for (const [path] of examples)
      statuses[`${method} ${path}`] = (
        await dashboard.call(path, {
          session,
          method: method.toUpperCase(),
          headers: { 'sec-fetch-site': 'same-origin' },
        })
      ).status;
  const pages = PAGES.filter(({ needs }) => needs.some((needed) => can(role, needed))).map(({ label }) => label);
  process.stdout.write(JSON.stringify({ statuses, pages } satisfies PlantedRole));
} finally {
  await dashboard.close();
}
