import { membersOf, texts } from '../../shared/json.ts';
import type { Config } from '../config/config.ts';
import { dashboardClient, SCOPES } from '../platform/dashboard-client.ts';
import type { AdminApi } from './admin-api.ts';
import { type Found, SetupFailed, type Step } from './step.ts';

const PATH = '/admin/clients';
type Client = ReturnType<typeof dashboardClient>;

/** The dashboard's public client at Hydra: created, or changed where it differs; other members stay as they are. */
export const oauthClientStep = ({ auth, baseUrl }: Pick<Config, 'auth' | 'baseUrl'>, api: AdminApi): Step => ({
  title: 'OAuth 2.0 client',
  async look(): Promise<Found> {
    const wanted = dashboardClient(auth.clientId, baseUrl);
    const path = `${PATH}/${encodeURIComponent(auth.clientId)}`;
    const present = await api.read(path);
    if (present === undefined) {
      const apply = async (): Promise<readonly string[]> => {
        const { status } = await api.write('POST', PATH, wanted);
        if (status === 201) return [];
        throw new SetupFailed(
          status === 409
            ? 'The client was created meanwhile: run this again.'
            : `${auth.oauthAdmin.urlVariable} answers ${status}.`,
        );
      };
      return { state: 'todo', text: `Create the client ${auth.clientId}`, apply };
    }
    const differing = differences(membersOf(present), wanted);
    if (differing.length === 0) return { state: 'done', text: `The client ${auth.clientId} is as it should be.` };
    return {
      state: 'todo',
      text: `Change the client ${auth.clientId}`,
      differences: differing.map(
        (name) => `${name}: ${JSON.stringify(membersOf(present)[name] ?? null)} → ${JSON.stringify(wanted[name])}`,
      ),
      apply: async () => {
        const change = Object.fromEntries(differing.map((name) => [name, wanted[name]]));
        const { status } = await api.write('PUT', path, { ...membersOf(present), ...change });
        if (status === 200) return [];
        throw new SetupFailed(`${auth.oauthAdmin.urlVariable} answers ${status}.`);
      },
    };
  },
});

/** Names of members that must be otherwise; the name shown to people and further scopes are the owner's affair. */
function differences(present: Record<string, unknown>, wanted: Client): (keyof Client)[] {
  const scopes = String(present['scope'] ?? '').split(' ');
  return (Object.keys(wanted) as (keyof Client)[]).filter((name) => {
    const [is, should] = [present[name], wanted[name]];
    if (name === 'client_name') return false;
    if (name === 'scope') return SCOPES.some((scope) => !scopes.includes(scope));
    return Array.isArray(should) ? texts(is).toSorted().join('\n') !== should.toSorted().join('\n') : is !== should;
  });
}
