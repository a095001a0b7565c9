import {
  type SavedView,
  VIEW_NAME_MAX_CHARACTERS,
  VIEW_SEARCH_MAX_CHARACTERS,
  VIEWS_MAX,
} from '../../../shared/dashboard.ts';
import type { ViewsChange } from '../../api/views.ts';
import { viewsOf } from './views.ts';

/** Adds a view. Made twice it adds one: after a lost response the first may have been stored. */
export const adding =
  (view: SavedView): ViewsChange =>
  (views) => {
    const others = views.filter(({ id }) => id !== view.id);
    if (others.length >= VIEWS_MAX) throw new Error(FULL);
    return [...others, view];
  };

/** Changes only these members, so that what was changed elsewhere stays. */
export const changing =
  (id: string, members: Partial<Pick<SavedView, 'name' | 'search'>>): ViewsChange =>
  (views) => {
    if (!views.some((view) => view.id === id)) throw new Error('This view was deleted in another tab or browser.');
    return views.map((view) => (view.id === id ? { ...view, ...members } : view));
  };

export const removing =
  (id: string): ViewsChange =>
  (views) =>
    views.filter((view) => view.id !== id);

const FULL = `You have ${VIEWS_MAX} views, as many as there can be. Delete one first.`;

/** A typed name as it is stored. */
export const nameIn = (typed: string): string => typed.replace(/\p{Cc}+/gu, ' ').trim();

/** Why a view cannot have this name; undefined if it can. @param views of all lists */
export function nameProblem(view: Pick<SavedView, 'id' | 'resource'>, name: string, views: readonly SavedView[]) {
  const length = [...name].length;
  if (length === 0) return 'A view needs a name.';
  if (length > VIEW_NAME_MAX_CHARACTERS) return `At most ${VIEW_NAME_MAX_CHARACTERS} characters.`;
  if (/\p{Surrogate}/u.test(name)) return 'This name has half a character.';
  const isTaken = viewsOf(view.resource, views).some(
    (other) => other.id !== view.id && other.name.toLowerCase() === name.toLowerCase(),
  );
  return isTaken ? 'Another view of this list has this name.' : undefined;
}

/**
 * Why the search of a list cannot be saved as a view; undefined if it can.
 * @param views of all lists; undefined while they are not known
 */
export function saveProblem(search: string, views: readonly SavedView[] | undefined): string | undefined {
  if (views === undefined) return 'Your views have not been loaded.';
  if (views.length >= VIEWS_MAX) return FULL;
  if (search === '') return 'There is no filter, order or choice of columns to save.';
  return searchProblem(search);
}

/** Why it cannot replace the search of a view. */
export const searchProblem = (search: string): string | undefined =>
  search.length > VIEW_SEARCH_MAX_CHARACTERS ? 'This filter is too long to be kept.' : undefined;
