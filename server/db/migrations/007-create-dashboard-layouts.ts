import { creationOf } from '../create-table.ts';

export const createDashboardLayouts = creationOf('dashboard_layouts', ({ exact, long }) => [
  `identity_id ${exact(255)} not null primary key`,
  `layout ${long} not null`,
  `updated_at ${exact(24)} not null`,
]);
