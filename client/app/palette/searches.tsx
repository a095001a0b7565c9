import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { findByExternalId } from '../../api/identities.ts';
import { RequestError } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import { hasSignInLog } from '../../deployment.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { tokenToIntrospect } from '../../ui/pages.ts';
import { IconArrowRight, IconSearch } from '../../ui/shell-icons.tsx';
import { allPages } from '../navigation.tsx';
import {
  type Command,
  type Fit,
  type Found,
  findIdentity,
  formatFound,
  foundGroups,
  type Group,
  type Open,
} from './found.tsx';
import type { Pasted } from './pasted.ts';
import { recordCommand, type useLookUp } from './records.tsx';

type LookUp = ReturnType<typeof useLookUp>;

/** What a text offers by its shape: results first, then further searches, which only Enter or a click sends. */
export function usePastedGroups(pasted: Pasted, found: Found, lookUp: LookUp, open: Open): Group[] {
  const router = useRouter();
  const queryClient = useQueryClient();
  const may = useCan();
  /** Nothing if the role may not open the page. */
  const onPage = (to: string, label: string, run: () => unknown, searches?: true): Command[] =>
    allPages()
      .filter((page) => page.to === to && page.needs.some(may))
      .map((page) => {
        const Icon = searches ? IconSearch : page.icon;
        return { id: `${to} ${label}`, label, icon: <Icon size={18} />, run };
      });
  const externalId = (id: string): Command[] =>
    onPage('/identities', `Find external ID: ${visibleText(id)}`, () => openByExternalId(id, open), true);

  switch (pasted.kind) {
    case 'token':
      if (pasted.token === '') return [];
      return results(
        onPage('/oauth/introspect', 'Introspect', () => {
          tokenToIntrospect.set(pasted.token);
          open('/oauth/introspect');
        }),
      );
    case 'ip': {
      const { ip } = pasted;
      return results([
        ...onPage('/sessions', `Sessions from ${ip}`, () => open('/sessions', { ip })),
        ...(hasSignInLog()
          ? onPage('/security/sign-ins', `Sign-ins from ${ip}`, () => open('/security/sign-ins', { ip }))
          : []),
      ]);
    }
    case 'page': {
      const { path } = pasted;
      const run = (): void => void router.navigate({ href: path });
      return results([{ id: path, label: `Open ${visibleText(path)}`, icon: <IconArrowRight size={18} />, run }]);
    }
    case 'id': {
      const isKnown = lookUp.pending || lookUp.records.length > 0;
      return [
        // Of several, Enter opens none that has not been seen.
        ...results(
          lookUp.records.map((record) => recordCommand(record, record, open)),
          2,
        ),
        { commands: isKnown ? [] : externalId(pasted.as), fit: 2, kind: 'searches' },
      ];
    }
    default: {
      const { text: q } = pasted;
      if (q === '') return [];
      const searchPeople = async (): Promise<void> => {
        const path = found.identities === undefined ? await findIdentity(q, queryClient) : undefined;
        open(path ?? '/identities', path === undefined ? { q } : {});
      };
      const others = ['/oauth/clients clients', '/settings settings'].map((one) => one.split(' ') as [string, string]);
      const commands = [
        ...onPage('/identities', `Search identities: ${visibleText(q)}`, searchPeople, true),
        ...(MAY_BE_EXTERNAL_ID.test(q) ? externalId(q) : []),
        ...others.flatMap(([to, of]) => onPage(to, `Search ${of}: ${visibleText(q)}`, () => open(to, { q }), true)),
      ];
      return [...foundGroups(found, open), { name: 'Search', commands, fit: 2, kind: 'searches' }];
    }
  }
}

const MAY_BE_EXTERNAL_ID = /^[^\s@*]*[\d_:|/-][^\s@*]*$/;

const results = (commands: Command[], fit: Fit = 0): Group[] => [{ commands, fit, kind: 'found' }];

/** @returns why it opens nothing */
const openByExternalId = (id: string, open: Open): Promise<string | undefined> =>
  findByExternalId(id).then(
    (identity) => void open(`/identities/${identity.id}`),
    (error) =>
      error instanceof RequestError && error.status === 404
        ? 'No identity has this external ID.'
        : `The external ID could not be looked up: ${error.message}`,
  );

/** What the text is, or what was found. */
export function statusOf(pasted: Pasted, found: Found, lookUp: LookUp): string {
  if (pasted.kind === 'token') return `This looks like ${pasted.what}. It is neither sent nor stored.`;
  return pasted.kind === 'id' ? lookUp.status : formatFound(found);
}
