import type { IdentityPage } from '../../shared/identities.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { type Figures, ratios } from './ratios.ts';

const FEW = 1_000;
const PAGE = 25;

interface Side {
  first: string;
  middle: string;
  ask: (path: string) => Promise<unknown>;
}

async function sideOf(dashboard: Dashboard, people: number): Promise<Side> {
  const session = await dashboard.signIn('admin');
  const ask = async (path: string): Promise<IdentityPage> =>
    (await dashboard.call(path, { session })).json() as Promise<IdentityPage>;
  const first = `/api/identities?page_size=${PAGE}`;
  // By large pages to the middle.
  let token: string | null = null;
  for (let read = 0; read < people / 2; read += 250) {
    const page: IdentityPage = await ask(
      `/api/identities?page_size=250${token === null ? '' : `&page_token=${token}`}`,
    );
    token = page.next_page_token;
  }
  return { first, middle: `${first}&page_token=${token}`, ask };
}

/** What a page of identities takes among so many people and among a thousand, through service and sandbox. */
export async function identitiesGrowth(people: number): Promise<Figures> {
  const few = await startDashboard({ sandbox: { people: FEW } });
  const many = await startDashboard({ sandbox: { people } });
  try {
    const [ofFew, ofMany] = [await sideOf(few, FEW), await sideOf(many, people)];
    return await ratios('Identities of the sandbox', FEW, people, {
      'the first page': [() => ofFew.ask(ofFew.first), () => ofMany.ask(ofMany.first)],
      'a page in the middle': [() => ofFew.ask(ofFew.middle), () => ofMany.ask(ofMany.middle)],
    });
  } finally {
    await few.close();
    await many.close();
  }
}
