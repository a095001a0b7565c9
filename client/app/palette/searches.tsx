import { useRouter } from '@tanstack/react-router';
import { findByExternalId } from '../../api/identities.ts';
import { RequestError } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import { hasApplications, hasPeople, hasSignInLog } from '../../deployment.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { tokenToIntrospect } from '../../ui/pages.ts';
import { IconArrowRight, IconSearch } from '../../ui/shell-icons.tsx';
import { allPages } from '../navigation.tsx';
import { type Command, type Fit, type Found, formatFound, foundGroups, type Group, type Open } from './found.tsx';
import type { Pasted } from './pasted.ts';
import { recordCommand, type useLookUp } from './records.tsx';

type LookUp = ReturnType<typeof useLookUp>;

/** What a text offers by its shape: results first, then further searches, which only Enter or a click sends. */
export function usePastedGroups(pasted: Pasted, found: Found, lookUp: LookUp, open: Open): Group[] {
  const router = useRouter();
  const may = useCan();
  /** Nothing if the role may not open the page. */
  const onPage = (to: string, label: string, run: () => void): Command[] =>
    allPages()
      .filter((page) => page.to === to && page.needs.some(may))
      .map(({ icon: Icon }) => ({ id: `${to} ${label}`, label, icon: <Icon size={18} />, run }));
  const search = (to: string, of: string, q: string): Command[] =>
    q === ''
      ? []
      : onPage(to, `Search ${of}: ${visibleText(q)}`, () => open(to, { q })).map((one) => ({ ...one, icon: SEARCH }));
  const externalId = (id: string): Command[] =>
    may('identities.read') && hasPeople() ? [{ ...externalIdCommand(id, open), icon: SEARCH }] : [];

  switch (pasted.kind) {
    case 'token':
      return results(
        onPage('/oauth/introspect', 'Introspect', () => {
          tokenToIntrospect.set(pasted.token);
          open('/oauth/introspect');
        }),
      );
    case 'ip': {
      const { ip } = pasted;
      const listed = (to: string, of: string) => onPage(to, `${of} from ${ip}`, () => open(to, { ip }));
      return results([
        ...listed('/sessions', 'Sessions'),
        ...(hasSignInLog() ? listed('/security/sign-ins', 'Sign-ins') : []),
      ]);
    }
    case 'page': {
      const { path } = pasted;
      return results([
        {
          id: path,
          label: `Open ${visibleText(path)}`,
          icon: <IconArrowRight size={18} />,
          run: () => void router.navigate({ href: path }),
        },
      ]);
    }
    case 'id':
      return [
        ...results(
          lookUp.records.map((record) => recordCommand(record, open)),
          2,
        ),
        ...searches(undefined, lookUp.pending || lookUp.records.length > 0 ? [] : externalId(pasted.as)),
      ];
    default: {
      const { text: q } = pasted;
      // Without an index, or if the search failed.
      const isUnsearched = !found.pending && found.clients === undefined && hasApplications();
      return [
        ...foundGroups(found, open),
        ...searches('Search', [
          ...search('/identities', 'identities', q),
          ...(MAY_BE_EXTERNAL_ID.test(q) ? externalId(q) : []),
        ]),
        ...searches(undefined, isUnsearched ? search('/oauth/clients', 'clients', q) : []),
      ];
    }
  }
}

const SEARCH = <IconSearch size={18} />;
const MAY_BE_EXTERNAL_ID = /^[^\s@*]*[\d_:|/-][^\s@*]*$/;

const results = (commands: Command[], fit: Fit = 0): Group[] => [{ commands, fit, kind: 'found' }];
const searches = (name: string | undefined, commands: Command[]): Group[] => [
  { ...(name !== undefined && { name }), commands, fit: 2, kind: 'searches' },
];

const externalIdCommand = (id: string, open: Open): Omit<Command, 'icon'> => ({
  id: 'external id',
  label: `Find external ID: ${visibleText(id)}`,
  run: () =>
    findByExternalId(id).then(
      (identity) => open(`/identities/${identity.id}`),
      (error) =>
        error instanceof RequestError && error.status === 404
          ? 'No identity has this external ID.'
          : `The external ID could not be looked up: ${error.message}`,
    ),
});

/** What the text is, or what was found. */
export function statusOf(pasted: Pasted, found: Found, lookUp: LookUp): string {
  if (pasted.kind === 'token') return `This looks like ${pasted.what}. It is neither sent nor stored.`;
  return pasted.kind === 'id' ? lookUp.status : formatFound(found);
}
