import { json } from '../../http/answer.ts';
import { type Route, route } from '../../http/router.ts';
import { pageHeaders, pageRequest } from '../../paging/page-links.ts';
import type { IdentitySchemas } from './identity-schemas.ts';

/** `/schemas` on the public port. */
export const schemaRoutes = (schemas: IdentitySchemas): Route[] => [
  route('GET', '/schemas', ({ query }) => {
    const requested = pageRequest(query, { defaultSize: 250, maxSize: 500 });
    const from = requested.page * requested.size;
    const headers = pageHeaders('/schemas', query, requested, schemas.all.length, true);
    return json(200, schemas.all.slice(from, from + requested.size), headers);
  }),
  route('GET', '/schemas/:id', ({ params }) => json(200, schemas.named(params.id ?? '').schema)),
];
