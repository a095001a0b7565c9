import type { Router } from 'express';
import type { SavedViews } from '../../../shared/views.ts';
import type { Database } from '../../db/database.ts';
import { ownDocumentRouter } from '../../documents/own-document-router.ts';
import { type OwnDocuments, ownDocuments } from '../../documents/own-documents.ts';
import type { SessionVerifier } from '../../session/session-verifier.ts';
import { parseViews } from './views-input.ts';

/** Of a request: twice what the most views take. */
export const VIEWS_MAX_KIB = 256;

/** Each operator's views. @param now milliseconds since the epoch */
export const viewStore = (database: Database, now: () => number): OwnDocuments<SavedViews> =>
  ownDocuments({ database, table: 'dashboard_views', member: 'views', initial: [], now });

/** `GET` and `PUT /api/dashboard/views`. */
export const viewsRouter = (views: OwnDocuments<SavedViews>, verify: SessionVerifier): Router =>
  ownDocumentRouter({ documents: views, parse: parseViews, verify });
