import { CLIENTS_ROUTES } from './clients-routes.ts';
import { IDENTITIES_ROUTES } from './identities-routes.ts';
import { OVERVIEW_ROUTES } from './overview-routes.ts';
import { PUBLIC_ROUTES } from './public-routes.ts';
import type { RouteEntry } from './route.ts';
import { SECURITY_ROUTES } from './security-routes.ts';
import { SETTINGS_ROUTES } from './settings-routes.ts';
import { SIGN_INS_ROUTES } from './sign-ins-routes.ts';

/** The table of all routes of the service except the proxies, which `UPSTREAMS` lists. */
export const ROUTES: readonly RouteEntry[] = [
  ...PUBLIC_ROUTES,
  ...IDENTITIES_ROUTES,
  ...CLIENTS_ROUTES,
  ...SETTINGS_ROUTES,
  ...SECURITY_ROUTES,
  ...SIGN_INS_ROUTES,
  ...OVERVIEW_ROUTES,
];

/** The entry for a request; literal paths take precedence over those with parameters. */
export function routeOf(method: string, target: string): RouteEntry | undefined {
  const [path = ''] = target.split('?', 1);
  const fitting = ROUTES.filter(
    (route) =>
      route.method === method.toLowerCase() && new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return fitting.find((route) => route.path === path) ?? fitting[0];
}
