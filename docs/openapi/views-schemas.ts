import {
  FAVOURITES_MAX,
  type SavedView,
  type SavedViews,
  VIEW_ID,
  VIEW_NAME_MAX_CHARACTERS,
  VIEW_RESOURCES,
  VIEW_SEARCH_MAX_CHARACTERS,
  VIEWS_MAX,
} from '../../shared/dashboard.ts';
import { RECORD_RESOURCES, type RecordReference } from '../../shared/records.ts';
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
  Views: objectOf<SavedViews>(
    {
      views: { ...listOf(component('View')), maxItems: VIEWS_MAX },
      favourites: { ...listOf(component('RecordReference')), maxItems: FAVOURITES_MAX },
    },
    ['favourites'],
  ),
  RecordReference: objectOf<RecordReference>({
    resource: oneOf(RECORD_RESOURCES),
    id: { type: 'string', minLength: 1, maxLength: 255 },
  }),
};
