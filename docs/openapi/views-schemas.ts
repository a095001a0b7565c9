import {
  type SavedView,
  type SavedViews,
  VIEW_ID,
  VIEW_NAME_MAX_CHARACTERS,
  VIEW_RESOURCES,
  VIEW_SEARCH_MAX_CHARACTERS,
  VIEWS_MAX,
} from '../../shared/dashboard.ts';
import { component, described, listOf, objectOf, oneOf, type Schema } from './route.ts';

/** Views that operators save under a name. */
export const VIEWS_SCHEMAS: Readonly<Record<string, Schema>> = {
  View: objectOf<SavedView>({
    id: { type: 'string', pattern: VIEW_ID.source },
    resource: oneOf(VIEW_RESOURCES),
    name: { type: 'string', minLength: 1, maxLength: VIEW_NAME_MAX_CHARACTERS },
    search: described(
      { type: 'string', maxLength: VIEW_SEARCH_MAX_CHARACTERS },
      "The query of the list's address, without its question mark.",
    ),
  }),
  Views: objectOf<SavedViews>({ views: { ...listOf(component('View')), maxItems: VIEWS_MAX } }),
};
