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
import { RECORD_RESOURCES, type RecordReference, type RecordSummary, type Records } from '../../shared/records.ts';
import { component, described, flag, listOf, objectOf, oneOf, orNull, type Schema, text, uuid } from './route.ts';

type Summary<Resource> = Extract<RecordSummary, { resource: Resource }>;
/** ISO 8601, or empty. */
const timeIfAny = described(text, 'ISO 8601, or empty if unknown.');

/** Views that operators save under a name, and records by id. */
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
  RecordSummary: {
    oneOf: [
      objectOf<Summary<'identity'>>({
        ...{ resource: oneOf(['identity']), id: uuid, state: text },
        ...{ name: orNull(text), identifier: orNull(text) },
      }),
      objectOf<Summary<'session'>>({
        ...{ resource: oneOf(['session']), id: uuid, identity_id: orNull(uuid), active: flag },
        name: described(orNull(text), 'Of the person.'),
        ...{ authenticated_at: timeIfAny, expires_at: timeIfAny },
      }),
      objectOf<Summary<'message'>>({
        ...{ resource: oneOf(['message']), id: uuid, recipient: text, template_type: text, status: text },
        created_at: timeIfAny,
      }),
      objectOf<Summary<'client'>>({ resource: oneOf(['client']), id: text, name: orNull(text) }),
    ],
  },
  Records: objectOf<Records>({
    records: listOf(component('RecordSummary')),
    gone: described(listOf(component('RecordReference')), 'The service says that they do not exist.'),
    failed: described(
      listOf(
        objectOf<Records['failed'][number]>({
          resource: oneOf(RECORD_RESOURCES),
          id: text,
          error: text,
          message: text,
        }),
      ),
      'Not known whether they exist, or forbidden to the role.',
    ),
  }),
};
