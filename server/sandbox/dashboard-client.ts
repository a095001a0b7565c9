import { callbackOf, dashboardClient } from '../platform/dashboard-client.ts';
import type { ClientStore } from './oauth-service/client-store.ts';
import { composeClient } from './oauth-service/compose-client.ts';

export const DASHBOARD_CLIENT_ID = 'dashboard';

/** Registers the dashboard as a public client, or adds this address to the redirect URIs of an existing one. */
export function registerDashboard(clients: ClientStore, dashboardUrl: string, at: string): void {
  const callback = callbackOf(dashboardUrl);
  const before = clients.find(DASHBOARD_CLIENT_ID);
  if (before === undefined) {
    const document = composeClient(
      DASHBOARD_CLIENT_ID,
      {
        ...dashboardClient(DASHBOARD_CLIENT_ID, dashboardUrl),
        owner: 'platform',
      },
      at,
      at,
    );
    clients.write({ document, secretHash: null });
  } else if (!before.document.redirect_uris.includes(callback)) {
    const { document, secretHash } = before;
    const redirect_uris = [...document.redirect_uris, callback];
    clients.write({ document: { ...document, redirect_uris, updated_at: at }, secretHash });
  }
}
