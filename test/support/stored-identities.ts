import assert from 'node:assert/strict';

export type StoredIdentity = Record<string, unknown> & { id: string };

/** Reads every identity of a store, page by page. */
export async function readIdentities(adminUrl: string): Promise<StoredIdentity[]> {
  const all: StoredIdentity[] = [];
  for (let token: string | undefined, more = true; more; more = token !== undefined) {
    const response = await fetch(
      `${adminUrl}/admin/identities?page_size=500${token === undefined ? '' : `&page_token=${token}`}`,
    );
    assert.equal(response.status, 200);
    all.push(...((await response.json()) as StoredIdentity[]));
    token = /page_token=([^&>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return all;
}

/** Creates identities in a store, 500 at a time. */
export async function createIdentities(adminUrl: string, identities: readonly object[]): Promise<void> {
  for (let start = 0; start < identities.length; start += 500) {
    const response = await fetch(`${adminUrl}/admin/identities`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ identities: identities.slice(start, start + 500).map((create) => ({ create })) }),
    });
    const { identities: results } = (await response.json()) as { identities: { action: string }[] };
    assert.ok(
      results.every(({ action }) => action === 'create'),
      JSON.stringify(results.find(({ action }) => action !== 'create')),
    );
  }
}
