import { useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { VIEW_RESOURCES } from '../../../shared/dashboard.ts';
import { identityTotalQuery } from '../../api/identities.ts';
import { useCan } from '../../api/session.ts';
import { viewsQuery } from '../../api/views.ts';
import { hasPage, hasPeople, holders } from '../../deployment.ts';
import { counted } from '../../lib/format-count.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { LISTS, searchOf, viewsOf } from '../../list/saved-views.ts';
import {
  IconAdjustmentsPlus,
  IconFileExport,
  IconFileImport,
  IconInfoCircle,
  IconPalette,
  IconPlus,
} from '../../ui/icons.tsx';
import { type Page, usePageActions } from '../../ui/pages.ts';
import { IconLock, IconLogout, IconSearch, IconUserPlus } from '../../ui/shell-icons.tsx';
import { allPages, pageGroups } from '../navigation.tsx';
import { useSignOut } from '../session-gate.tsx';
import { bestFirst, type Command, type Found, type Group, type Open } from './found.tsx';
import type { Pasted } from './pasted.ts';
import { type useLookUp, useRemembered } from './records.tsx';
import { usePastedGroups } from './searches.tsx';
import { matching } from './words.tsx';

/** A command that opens a page, with search parameters if necessary. */
export interface Task extends Pick<Page, 'to' | 'label' | 'about' | 'icon' | 'needs'> {
  search?: Record<string, string>;
}

/** Listed with the actions, although each opens a page. */
export const TASKS: readonly Task[] = [
  {
    to: '/identities/new',
    label: 'New identity',
    about: 'Create a person or an account.',
    icon: IconUserPlus,
    needs: ['upstreams.write'],
  },
  {
    to: '/settings',
    search: { new: 'true' },
    label: 'New setting',
    about: 'A value or secret that services read at run time.',
    icon: IconAdjustmentsPlus,
    needs: ['settings.write'],
  },
  {
    to: '/identities/import',
    label: 'Import identities',
    about: 'Create identities from a CSV or NDJSON file.',
    icon: IconFileImport,
    needs: ['upstreams.write'],
  },
  {
    to: '/identities/export',
    label: 'Export identities',
    about: 'Save all identities in a CSV or NDJSON file.',
    icon: IconFileExport,
    needs: ['upstreams.write'],
  },
  {
    to: '/oauth/clients/new',
    label: 'New client',
    about: 'Register a web, browser, native, device or machine application.',
    icon: IconPlus,
    needs: ['upstreams.write'],
  },
];

const RETRY_MS = 5_000;

/** The saved views that the operator may open; none for an empty field, since there may be many. */
function useViewCommands(text: string): Command[] {
  const may = useCan();
  const router = useRouter();
  const isTyped = text !== '';
  const lists = VIEW_RESOURCES.filter((resource) => may(LISTS[resource].needs) && hasPage(LISTS[resource].to));
  const { data } = useQuery({
    ...viewsQuery,
    enabled: isTyped && lists.length > 0,
    // A failure is not reported here: without another attempt, the operator's views would be missing silently.
    refetchInterval: ({ state }) => state.status === 'error' && RETRY_MS,
  });
  if (!isTyped) return [];
  return lists.flatMap((resource) => {
    const { to, label } = LISTS[resource];
    const Icon = allPages().find((page) => to.startsWith(page.to))?.icon ?? IconSearch;
    return viewsOf(resource, data?.views ?? []).map((view) => ({
      id: `view ${view.id}`,
      label: visibleText(view.name),
      about: `View: ${label}`,
      icon: <Icon size={18} />,
      run: () => void router.navigate({ to, search: searchOf(view) }),
    }));
  });
}

/** Commands for an empty field or by the shape of the text, best match first: Enter runs the first. */
export function useCommands(
  text: string,
  pasted: Pasted,
  [found, lookUp]: [Found, ReturnType<typeof useLookUp>],
  onShortcuts: () => void,
): Group[] {
  const router = useRouter();
  const may = useCan();
  const { signOut } = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const pageActions = usePageActions();
  const { data: count } = useQuery({ ...identityTotalQuery, enabled: may('identities.read') && hasPeople() });
  const isOpen = ({ needs }: Pick<Page, 'needs'>): boolean => needs.some(may);
  const describe = (page: Task): string => {
    if (!isOpen(page)) return `For ${holders(page.needs)}.`;
    const total = page.to === '/identities' ? (count?.total ?? undefined) : undefined;
    return total === undefined ? page.about : `${counted(total, 'identity', 'identities')}. ${page.about}`;
  };
  const open: Open = (to, search = {}) => void router.navigate({ to, search });

  const pageCommand = (page: Task): Command => ({
    id: `${page.to} ${page.label}`,
    label: page.label,
    about: describe(page),
    icon: isOpen(page) ? <page.icon size={18} /> : <IconLock size={18} />,
    run: () => open(page.to, page.search),
  });
  const tasks = TASKS.filter(({ to }) => hasPage(to));
  const subject = document.querySelector('[data-page-heading]')?.textContent ?? undefined;
  const actions = pageActions.map(
    ({ label, icon: Icon, run }): Command => ({
      id: `here ${label}`,
      label,
      about: subject,
      icon: <Icon size={18} />,
      run,
    }),
  );
  const views = useViewCommands(pasted.kind === 'text' ? text : '');
  const remembered = useRemembered(text === '', open);
  const byShape = usePastedGroups(pasted, found, lookUp, open);
  const themes = (['auto', 'light', 'dark'] as const).map(
    (scheme): Command => ({
      id: `theme ${scheme}`,
      label: scheme === 'auto' ? 'Theme: system default' : `Theme: ${scheme}`,
      icon: <IconPalette size={18} />,
      run: () => setColorScheme(scheme),
    }),
  );
  const others: Command[] = [
    ...themes,
    { id: 'shortcuts', label: 'Keyboard shortcuts', icon: <IconInfoCircle size={18} />, run: onShortcuts },
    { id: 'sign out', label: 'Sign out', icon: <IconLogout size={18} />, run: () => void signOut() },
  ];
  if (text === '')
    return withCommands([
      { name: 'This page', commands: actions, fit: 2 },
      ...remembered,
      ...pageGroups().map(({ name = 'Pages', pages }) => ({ name, commands: pages.map(pageCommand), fit: 2 as const })),
      { name: 'Actions', commands: [...tasks.map(pageCommand), ...others], fit: 2 },
    ]);

  if (pasted.kind !== 'text') return withCommands(byShape);
  const pages = [...allPages(), ...tasks].map(pageCommand);
  return withCommands(
    bestFirst<Group>([
      { name: 'This page', ...matching(actions, text) },
      { name: 'Pages and actions', ...matching([...pages, ...others], text) },
      { name: 'Views', ...matching(views, text) },
      ...byShape,
    ]),
  );
}

const withCommands = (groups: readonly Group[]): Group[] => groups.filter(({ commands }) => commands.length > 0);
