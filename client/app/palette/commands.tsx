import { useMantineColorScheme } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { VIEW_RESOURCES } from '../../../shared/dashboard.ts';
import { identityTotalQuery } from '../../api/identities.ts';
import { useCan } from '../../api/session.ts';
import { viewsQuery } from '../../api/views.ts';
import { hasPage, hasPeople, holders } from '../../deployment.ts';
import { counted } from '../../lib/format-count.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { LISTS, searchOf, viewsOf } from '../../list/saved-views.ts';
import { IconAdjustmentsPlus, IconFileExport, IconFileImport, IconPalette, IconPlus } from '../../ui/icons.tsx';
import { type Page, usePageActions } from '../../ui/pages.ts';
import { IconArrowRight, IconLock, IconLogout, IconSearch, IconUserPlus } from '../../ui/shell-icons.tsx';
import { allPages, pageGroups } from '../navigation.tsx';
import { useSignOut } from '../session-gate.tsx';
import {
  bestFirst,
  type Command,
  type Found,
  findByBeginning,
  findIdentity,
  fitOf,
  foundGroups,
  type Group,
} from './found.tsx';

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

/** Commands for the typed text and its search results, best match first: Enter runs the first. */
export function useCommands(typed: string, found: Found): Group[] {
  const text = typed.trim();
  const router = useRouter();
  const queryClient = useQueryClient();
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

  const pageCommand = (page: Task): Command => ({
    id: `${page.to} ${page.label}`,
    label: page.label,
    about: describe(page),
    icon: isOpen(page) ? <page.icon size={18} /> : <IconLock size={18} />,
    run: () => void router.navigate({ to: page.to, search: page.search ?? {} }),
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
  const views = useViewCommands(text);
  const themes = (['auto', 'light', 'dark'] as const).map(
    (scheme): Command => ({
      id: `theme ${scheme}`,
      label: scheme === 'auto' ? 'Theme: system default' : `Theme: ${scheme}`,
      icon: <IconPalette size={18} />,
      run: () => setColorScheme(scheme),
    }),
  );
  const signOutCommand: Command = {
    id: 'sign out',
    label: 'Sign out',
    icon: <IconLogout size={18} />,
    run: () => void signOut(),
  };
  if (text === '')
    return [
      ...pageGroups().map(({ pages, ...named }) => ({
        ...named,
        commands: [...('name' in named ? [] : actions), ...pages.map(pageCommand)],
        fit: 2 as const,
      })),
      { name: 'Actions', commands: [...tasks.map(pageCommand), ...themes, signOutCommand], fit: 2 },
    ];
  const finds = allPages()
    .filter(isOpen)
    .flatMap(({ to, find, alsoFind }) =>
      (alsoFind?.isLikelier(text) ? [alsoFind, find] : [find, alsoFind])
        .filter((one) => one !== undefined)
        // The index also matches prefixes, so this search would repeat its results.
        .filter(({ directly }) => directly !== 'beginning' || found.identities === undefined)
        .map((one) => ({ ...one, to })),
    );
  const searches = finds.map((find): Command & { sure: boolean } => {
    const sure = find.isSure?.(text) ?? false;
    return {
      id: `find ${find.to} ${find.label}`,
      label: `${sure ? find.open : find.label}: ${visibleText(text)}`,
      icon: sure ? <IconArrowRight size={18} /> : <IconSearch size={18} />,
      sure,
      run: async () => {
        const findRecord = find.directly === 'identity' ? findIdentity : findByBeginning;
        const found = find.directly && (await findRecord(text, queryClient));
        await router.navigate(found === undefined ? { to: find.to, search: find.search(text) } : { to: found });
      },
    };
  });

  const places = [...allPages(), ...tasks].map(pageCommand);
  const named = matchingCommands([...actions, ...places, ...views, ...themes, signOutCommand], text);
  const results = foundGroups(found, (to, search = {}) => void router.navigate({ to, search }));
  const hasResults = results.length > 0;
  return [
    { commands: searches.filter(({ sure }) => sure), fit: 0 as const },
    ...bestFirst<Group>([
      { commands: named, fit: fitOf(text, named[0]?.label), ...(hasResults && { name: 'Pages and actions' }) },
      ...results,
    ]),
    {
      commands: searches.filter(({ sure }) => !sure),
      fit: 2 as const,
      kind: 'searches' as const,
      ...(hasResults && { name: 'Search' }),
    },
  ].filter(({ commands }) => commands.length > 0);
}

/** Commands whose label contains every typed word; prefix matches first. */
function matchingCommands(commands: readonly Command[], text: string): Command[] {
  const search = text.toLowerCase();
  const words = search.split(/\s+/);
  const matching = commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const begins = ({ label }: Command): boolean => label.toLowerCase().startsWith(search);
  return [...matching.filter(begins), ...matching.filter((command) => !begins(command))];
}
