import { json } from '../http/answer.ts';
import { type Handler, route, routerOf } from '../http/router.ts';
import { identityAnswer } from './identity-answer.ts';
import { notFound } from './identity-errors.ts';
import type { IdentityStore } from './identity-store.ts';

export interface AdminServiceOptions {
  identities: IdentityStore;
  publicUrl: string;
}

export function adminService({ identities, publicUrl }: AdminServiceOptions): Handler {
  return routerOf([
    route('GET', '/admin/identities/:id', ({ params }) => {
      const identity = identities.find(params.id ?? '');
      if (identity === undefined) throw notFound();
      return json(200, identityAnswer(identity, publicUrl, { credentials: true }));
    }),
  ]);
}
