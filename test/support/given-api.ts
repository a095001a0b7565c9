import type { App, PageRequest } from './app-in-dom.tsx';

type Given = Response | object | undefined;

/** What every page of an administrator requests, so that a test has to give the responses of its own page only. */
const EVERYWHERE: Record<string, object> = {
  '/api/auth/session': { user: { identityId: 'operator-1', email: 'admin@example.com', role: 'admin' } },
};

/** For pages whose every response is given: JSON, or a whole response; 404 for what nobody gives. */
export const givenApi =
  (give: (request: PageRequest) => Given | Promise<Given>): App['respond'] =>
  async (request) => {
    const given = (await give(request)) ?? EVERYWHERE[request.path];
    if (given instanceof Response) return given.clone();
    if (given !== undefined) return Response.json(given);
    return Response.json({ error: 'not_found', message: `Nothing is given for ${request.path}.` }, { status: 404 });
  };
