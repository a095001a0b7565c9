import { GEO_ADDRESSES_MAX } from '../../shared/geo.ts';
import { SESSION_DAYS_MAX } from '../../shared/session-locations.ts';
import { component, inPath, oneOf, type Parameter, query, type RouteEntry, text } from './route.ts';

/** Filters of sessions. */
export const SESSION_FILTER: readonly Parameter[] = [
  query('days', { type: 'integer', minimum: 1, maximum: SESSION_DAYS_MAX }, 'Signed in to within this many days.'),
  query('active', oneOf(['true']), 'Neither ended nor expired.'),
];
const TAG = { ETag: 'For `If-Match`.' };
const IF_MATCH: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'The `ETag` on which the change is based; without it, the last write wins.',
  schema: text,
};

export const OVERVIEW_ROUTES: readonly RouteEntry[] = [
  {
    id: 'readLayout',
    method: 'get',
    path: '/api/dashboard/layout',
    who: 'layout.own',
    tag: 'Overview',
    summary: "The operator's layout of the overview",
    answers: {
      200: { description: 'Null until the operator has changed it.', body: component('Layout'), headers: TAG },
    },
    asked: [['/api/dashboard/layout', 200]],
  },
  {
    id: 'saveLayout',
    method: 'put',
    path: '/api/dashboard/layout',
    who: 'layout.own',
    tag: 'Overview',
    summary: 'Save the layout of the overview',
    parameters: [IF_MATCH],
    body: component('Layout'),
    answers: { 200: { description: 'The stored layout.', body: component('Layout'), headers: TAG } },
    errors: ['bad_request', 'precondition_failed'],
    asked: [['/api/dashboard/layout', 400]],
  },
  {
    id: 'readViews',
    method: 'get',
    path: '/api/dashboard/views',
    who: 'views.own',
    tag: 'Overview',
    summary: "The operator's views of lists",
    answers: { 200: { description: 'In their order.', body: component('Views'), headers: TAG } },
    asked: [['/api/dashboard/views', 200]],
  },
  {
    id: 'saveViews',
    method: 'put',
    path: '/api/dashboard/views',
    who: 'views.own',
    tag: 'Overview',
    summary: "Replace the operator's views",
    parameters: [IF_MATCH],
    body: component('Views'),
    answers: { 200: { description: 'The stored views.', body: component('Views'), headers: TAG } },
    errors: ['bad_request', 'precondition_failed'],
    asked: [['/api/dashboard/views', 400]],
  },
  {
    id: 'statistics',
    method: 'get',
    path: '/api/dashboard/statistics',
    who: 'statistics.read',
    tag: 'Overview',
    summary: "The overview's numbers",
    parameters: [query('time_zone', text, 'An IANA name; UTC by default.')],
    answers: { 200: { description: 'Unknown parts are null.', body: component('Statistics') } },
    errors: ['bad_request', 'too_many_requests'],
    asked: [
      ['/api/dashboard/statistics', 200],
      ['/api/dashboard/statistics?time_zone=Nowhere', 400],
    ],
  },
  {
    id: 'sessionLocations',
    method: 'get',
    path: '/api/session-locations',
    who: 'session-locations.read',
    tag: 'Overview',
    summary: 'Where people are signed in, without addresses and identities',
    parameters: [...SESSION_FILTER],
    answers: { 200: { description: 'Largest count first.', body: component('SessionLocations') } },
    errors: ['bad_request', 'bad_gateway', 'gateway_timeout'],
    asked: [
      ['/api/session-locations', 200],
      ['/api/session-locations?days=0', 400],
    ],
  },
  {
    id: 'geo',
    method: 'get',
    path: '/api/geo',
    who: 'geo.read',
    tag: 'Overview',
    summary: 'Locations of addresses; without any, of the caller',
    parameters: [
      query('ip', { type: 'array', items: { type: 'string' }, maxItems: GEO_ADDRESSES_MAX }, 'IPv4 or IPv6, repeated.'),
    ],
    answers: { 200: { description: 'In the order of the request.', body: component('GeoAnswer') } },
    errors: ['bad_request'],
    asked: [
      ['/api/geo', 200],
      ['/api/geo?ip=2.125.160.216&ip=10.0.0.1', 200],
      ['/api/geo?ip=x', 400],
    ],
  },
  {
    id: 'services',
    method: 'get',
    path: '/api/services',
    who: 'services.read',
    tag: 'Service',
    summary: 'The status of everything behind the dashboard',
    description: 'Each is checked at most every five seconds.',
    answers: { 200: { description: 'All services.', body: component('Services') } },
    asked: [['/api/services', 200]],
  },
  {
    id: 'service',
    method: 'get',
    path: '/api/services/{name}',
    who: 'services.read',
    tag: 'Service',
    summary: 'The status of one service',
    parameters: [inPath('name', text)],
    answers: { 200: { description: 'It.', body: component('Service') } },
    errors: ['not_found'],
    asked: [
      ['/api/services/database', 200],
      ['/api/services/absent', 404],
    ],
  },
];
