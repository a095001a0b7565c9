import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { VIEW_RESOURCES } from '../../../shared/dashboard.ts';
import { useCan } from '../../api/session.ts';
import { viewsQuery } from '../../api/views.ts';
import { visibleText } from '../../format/visible-text.ts';
import { LISTS, searchOf, viewsOf } from '../../resource/views/views.ts';
import { IconSearch } from '../../ui/icons.ts';
import { PAGES } from '../navigation.ts';
import type { Command } from './command.ts';

/** The views of the lists that the operator may open; none while nothing is typed, as there may be many. */
export function useViewCommands(text: string): Command[] {
  const may = useCan();
  const router = useRouter();
  const isTyped = text !== '';
  const lists = VIEW_RESOURCES.filter((resource) => may(LISTS[resource].needs));
  const { data } = useQuery({ ...viewsQuery, enabled: isTyped && lists.length > 0 });
  if (!isTyped) return [];
  return lists.flatMap((resource) => {
    const { to, label } = LISTS[resource];
    const Icon = PAGES.find((page) => to.startsWith(page.to))?.icon ?? IconSearch;
    return viewsOf(resource, data?.views ?? []).map((view) => ({
      id: `view ${view.id}`,
      label: visibleText(view.name),
      about: `View: ${label}`,
      icon: <Icon size={18} />,
      run: () => void router.navigate({ to, search: searchOf(view) }),
    }));
  });
}
