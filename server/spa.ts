import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import Negotiator from 'negotiator';
import type { Deployment, UpstreamName } from '../shared/upstreams.ts';
import { ApiError } from './http/errors.ts';
import { shellPolicy } from './http/headers.ts';

/** What the build writes next to each file, from the best compression to the worst: the suffix by content coding. */
const SUFFIXES = new Map([
  ['br', '.br'],
  ['gzip', '.gz'],
]);

interface Asset {
  extension: string;
  /** Weak, since all codings of the file share it. */
  etag: string;
  plain: Buffer;
  /** The compressed file by content coding. */
  compressed: ReadonlyMap<string, Buffer>;
}

/**
 * The built files by request path (`/assets/index-4fe1.js`), read once, so that a later build does not affect this
 * process and no request reaches the file system.
 */
function readAssets(directory: string): ReadonlyMap<string, Asset> {
  const folder = join(directory, 'assets');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const served = names.filter((name) => !/\.(?:br|gz)$/.test(name));
  return new Map(served.map((name) => [`/assets/${name}`, readAsset(join(folder, name))]));
}

function readAsset(path: string): Asset {
  const plain = readFileSync(path);
  const present = [...SUFFIXES].filter(([, suffix]) => existsSync(path + suffix));
  return {
    extension: extname(path),
    etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    compressed: new Map(present.map(([coding, suffix]) => [coding, readFileSync(path + suffix)])),
  };
}

/** A changed file gets a new name in the next build, so it can be cached forever. */
const FOREVER = 'public, max-age=31536000, immutable';
/** First segments of addresses that contain the id of a record, in which dots are no sign of a file. */
const RECORDS = new Set(['identities', 'sessions', 'oauth', 'messages', 'schemas']);

export interface SpaOptions {
  /** Folder of the built app. */
  directory: string;
  extraRoles: readonly string[];
  requireReason: boolean;
  /** Where operators sign in. */
  signIn: 'oauth2' | 'openid';
  /** Whether the service receives events of Kratos and Hydra. */
  hasSignInLog: boolean;
  deployment: Deployment;
  /** The name of the installation, if it has one. */
  environmentLabel: string | undefined;
  /** The configured ones: the app has no pages for others. */
  upstreams: readonly UpstreamName[];
  version: string;
}

/**
 * The app: its built assets by exact name, and its page for every other address outside `/api` that a browser opens.
 * Both are public, since they contain no data. Missing files are 404; everything else falls through to the gate.
 * @throws if the app has not been built
 */
export function spa(options: SpaOptions): RequestHandler {
  const page = readPage(options);
  const assets = readAssets(options.directory);

  /** A missing file is 404: old tabs, crawlers and protocol clients would mistake the page for the file they requested. */
  function isMissingFile(req: Request): boolean {
    if (req.path.startsWith('/assets/')) return true;
    return req.path.includes('.') && !RECORDS.has(firstSegment(req.path)) && !isNavigation(req);
  }

  return (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    if (req.path === '/api' || req.path.startsWith('/api/')) return next();
    const asset = assets.get(req.path);
    if (asset !== undefined) return sendAsset(req, res, asset);
    if (isMissingFile(req)) return next(new ApiError('not_found'));
    if (!namesHtml(req)) return next();
    sendPage(res, page);
  };
}

/** The page split at its nonces; what else it says is constant for the process. */
function readPage(options: SpaOptions): string[] {
  const { deployment, environmentLabel, upstreams, version } = options;
  return readBuilt(options.directory, 'index.html')
    .replaceAll('__EXTRA_ROLES__', options.extraRoles.join(' '))
    .replaceAll('__REASON__', options.requireReason ? 'required' : 'optional')
    .replaceAll('__SIGN_IN__', options.signIn)
    .replaceAll('__SIGN_IN_LOG__', options.hasSignInLog ? 'on' : 'off')
    .replaceAll('__DEPLOYMENT__', () => attribute(deployment))
    .replaceAll('__ENVIRONMENT__', () => attribute(environmentLabel ?? ''))
    .replaceAll('__UPSTREAMS__', () => attribute(upstreams.join(' ')))
    .replaceAll('__VERSION__', () => attribute(version))
    .split('__CSP_NONCE__');
}

function readBuilt(directory: string, name: string): string {
  const path = join(directory, name);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`The app is not built: ${path} is missing. Run "npm run build".`, { cause: error });
  }
}

function sendPage(res: Response, page: readonly string[]): void {
  const nonce = randomBytes(18).toString('base64');
  const body = Buffer.from(page.join(nonce));
  res.setHeader('Content-Security-Policy', shellPolicy(nonce));
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.setHeader('Content-Length', body.length);
  res.end(body);
}

function sendAsset(req: Request, res: Response, { extension, etag, plain, compressed }: Asset): void {
  res.set({ 'Cache-Control': FOREVER, ETag: etag });
  if (compressed.size > 0) res.set('Vary', 'Accept-Encoding');
  if (req.fresh) return void res.status(304).end();
  const coding = preferredCoding(req, compressed);
  const body = compressed.get(coding);
  if (body !== undefined) res.set('Content-Encoding', coding);
  res.type(extension).send(body ?? plain);
}

const firstSegment = (path: string): string => path.split('/', 2)[1] ?? '';

/** Over plain http, browsers do not send the mode. */
const isNavigation = ({ headers }: Request): boolean =>
  (headers['sec-fetch-mode'] ?? 'navigate') === 'navigate' && /text\/html/i.test(headers.accept ?? '');

/** Whether `Accept` includes HTML: it does when a browser opens a page; an absent header does not count. */
function namesHtml(req: Request): boolean {
  if (req.headers.accept === undefined) return false;
  const accepted = new Negotiator(req);
  const named = accepted.mediaTypes().map((type) => type.toLowerCase());
  // `text/html;q=0, */*` means anything but HTML.
  return named.includes('text/html') || (named.includes('*/*') && accepted.mediaType(['text/html']) !== undefined);
}

/** The package's types lack the option `preferred`. */
type EncodingInOrder = (available: readonly string[], options: { preferred: readonly string[] }) => string | undefined;

/** The client's preferred coding; `identity` even if nothing is acceptable, as RFC 9110, section 12.5.3 allows. */
function preferredCoding(req: Request, compressed: Asset['compressed']): string {
  const accepted: { encoding: EncodingInOrder } = new Negotiator(req);
  return accepted.encoding([...compressed.keys(), 'identity'], { preferred: [...SUFFIXES.keys()] }) ?? 'identity';
}

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
