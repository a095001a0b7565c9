import assert from 'node:assert/strict';
import { simulateBrowser } from './dom.ts';
import type { InterceptedDashboard } from './intercepted-dashboard.ts';

/** The paths of all pages in the app's router, such as `/identities/$id/json`. */
export async function pagePaths(): Promise<string[]> {
  const browser = simulateBrowser('http://localhost/');
  try {
    const { createQueryClient } = await import('../../client/app/query-client.ts');
    const { createAppRouter } = await import('../../client/app/router.ts');
    return Object.keys(createAppRouter(createQueryClient()).routesByPath).filter((path) => path !== '');
  } finally {
    await browser.close();
  }
}

const LISTS: Record<string, string> = {
  '/identities': '/api/identity-admin/admin/identities?page_size=1',
  '/messages': '/api/identity-admin/admin/courier/messages?page_size=1',
  '/oauth/clients': '/api/oauth-admin/admin/clients?page_size=1',
  '/schemas': '/api/identity/schemas',
  '/sessions': '/api/identity-admin/admin/sessions?page_size=1',
};

/** Returns a function that replaces `$id` in a router's path by the id of the first record of its list. */
export async function addressesOf({ read }: InterceptedDashboard): Promise<(path: string) => string> {
  const first: Record<string, string> = {};
  for (const [list, path] of Object.entries(LISTS)) {
    const rows = await read<{ id?: string; client_id?: string }[]>(path);
    first[list] = rows[0]?.id ?? rows[0]?.client_id ?? assert.fail(`${list} is empty`);
  }
  return (path) => {
    const [list = '', rest = ''] = path.split('/$id');
    if (!path.includes('$id')) return path.replace('$', 'no-such-page');
    return `${list}/${encodeURIComponent(first[list] ?? assert.fail(`${path} has no list`))}${rest}`;
  };
}
