import '@mantine/core/styles/Input.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import '@mantine/spotlight/styles.layer.css';
import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import { IconArrowRight, IconLock, IconLogout, IconPalette, IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { holdersOf } from '../../shared/capabilities.ts';
import { useCan } from '../api/session.ts';
import { PAGES, type Page } from './navigation.ts';
import classes from './palette.module.css';
import { TASKS } from './palette-tasks.ts';
import { useSignOut } from './use-sign-out.ts';

/** Pages and actions by name; what is typed can also be looked for on the pages that search. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const router = useRouter();
  const may = useCan();
  const { setColorScheme } = useMantineColorScheme();
  const { signOut } = useSignOut();
  useEffect(() => spotlight.open(), []);

  const isOpen = ({ needs }: Pick<Page, 'needs'>): boolean => needs === undefined || may(needs);
  const pages = [...PAGES, ...TASKS].map((page) => ({
    id: page.to,
    label: page.label,
    description: page.needs === undefined || may(page.needs) ? page.about : `For ${holdersOf(page.needs)}.`,
    leftSection: isOpen(page) ? <page.icon size={18} aria-hidden /> : <IconLock size={18} aria-hidden />,
    onClick: () => void router.navigate({ to: page.to }),
  }));
  const colours = (['auto', 'light', 'dark'] satisfies MantineColorScheme[]).map((scheme) => ({
    id: `colours ${scheme}`,
    label: scheme === 'auto' ? 'Colours as the system' : `Colours: ${scheme}`,
    leftSection: <IconPalette size={18} aria-hidden />,
    onClick: () => setColorScheme(scheme),
  }));
  const actions: SpotlightActionData[] = [
    ...pages,
    ...colours,
    {
      id: 'sign-out',
      label: 'Sign out',
      leftSection: <IconLogout size={18} aria-hidden />,
      onClick: () => void signOut(),
    },
  ];
  const wanted = query.trim().toLowerCase();
  const named = actions.filter(({ label }) => label?.toLowerCase().includes(wanted));
  const begins = ({ label }: SpotlightActionData) => label?.toLowerCase().startsWith(wanted);
  // Enter takes the first one.
  const matching = [...named.filter(begins), ...named.filter((action) => !begins(action))];
  const searches: SpotlightActionData[] = PAGES.flatMap((page) => {
    const { find } = page;
    if (find === undefined || wanted === '' || !isOpen(page)) return [];
    return {
      id: `find ${page.to}`,
      label: `${find.label}: ${query.trim()}`,
      leftSection: <IconSearch size={18} aria-hidden />,
      rightSection: <IconArrowRight size={16} aria-hidden />,
      onClick: () => void router.navigate({ to: page.to, search: find.search(query.trim()) }),
    };
  });

  return (
    <Spotlight
      actions={[...matching, ...searches]}
      filter={(_, all) => all}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      shortcut={null}
      attributes={{ content: { 'aria-label': 'Go to or do' } }}
      classNames={{ action: classes.action }}
      nothingFound="Nothing of this name"
      scrollable
      searchProps={{
        placeholder: 'Page or action…',
        'aria-label': 'Page or action',
        leftSection: <IconSearch size={18} aria-hidden />,
      }}
    />
  );
}
