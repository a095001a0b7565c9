import type { Router } from 'express';
import type { DashboardLayout } from '../../../shared/dashboard-layout.ts';
import type { Database } from '../../db/database.ts';
import { ownDocumentRouter } from '../../documents/own-document-router.ts';
import { type OwnDocuments, ownDocuments } from '../../documents/own-documents.ts';
import type { SessionVerifier } from '../../session/session-verifier.ts';
import { parseLayout } from './layout-input.ts';

/** Of a request: twice what the largest layout takes. */
export const LAYOUT_MAX_KIB = 64;

/** Each operator's layout of the overview. @param now milliseconds since the epoch */
export const layoutStore = (database: Database, now: () => number): OwnDocuments<DashboardLayout> =>
  ownDocuments({ database, table: 'dashboard_layouts', member: 'layout', initial: null, now });

/** `GET` and `PUT /api/dashboard/layout`. */
export const layoutRouter = (layouts: OwnDocuments<DashboardLayout>, verify: SessionVerifier): Router =>
  ownDocumentRouter({ documents: layouts, parse: parseLayout, verify });
