import { upstreamPrefix } from '../../../shared/upstreams.ts';
import type { Upstream } from '../../config/config.ts';

/** Rewrites addresses in an upstream's response so that they point to this service. */
export interface OwnAddresses {
  /**
   * A `Location`, or one target of a `Link`; relative to `path`, the request target at the upstream.
   * @returns undefined if the address must not be shown
   */
  reference(value: string, path: string): string | undefined;
  /** The same for the `Location` of a 307, by which the two APIs of an identity service redirect to one another. */
  redirect(value: string, path: string): string | undefined;
  /** Rewrites all targets of a `Link` header and keeps the rest byte for byte. */
  links(value: string, path: string): string;
}

interface Base {
  origin: string;
  /** The path of the configured URL, without trailing slash: `` or `/kratos`. */
  path: string;
  prefix: string;
}

/**
 * @param upstreams all configured ones: an address of another is mapped to that one's prefix
 * @param own whose responses are rewritten. On an admin prefix, addresses of any other origin lose their host
 */
export function ownAddresses(upstreams: readonly Upstream[], own: Upstream & { url: string }): OwnAddresses {
  // The most specific first, and this upstream first among equals: two prefixes may share one address.
  const bases = [own, ...upstreams.filter(({ name }) => name !== own.name)]
    .flatMap(({ url, prefix }) => (url === undefined ? [] : [baseOf(url, prefix)]))
    .sort((a, b) => b.path.length - a.path.length);
  const { origin, path: basePath, prefix } = baseOf(own.url, own.prefix);

  function reference(value: string, path: string): string | undefined {
    let url: URL;
    try {
      url = new URL(value, origin + path);
    } catch {
      return undefined;
    }
    const rest = url.pathname + url.search + url.hash;
    const base = bases.find((other) => other.origin === url.origin && isBelow(url.pathname, other.path));
    if (base !== undefined) return base.prefix + rest.slice(base.path.length);
    // The upstream's own origin, but outside the configured path.
    if (url.origin === origin) return prefix + (isBelow(url.pathname, basePath) ? rest.slice(basePath.length) : rest);
    if (!own.admin) return value;
    return url.protocol === 'http:' || url.protocol === 'https:' ? prefix + rest : undefined;
  }

  // The service uses its own address for the other API, which may differ from the configured one.
  const counterpart = upstreamPrefix(own.counterpart);
  const belongsToOther = own.admin ? /^\/(?:schemas(?:\/|$)|sessions\/whoami$|self-service\/)/ : /^\/admin(?:\/|$)/;
  const holdsIdentities = own.deployment !== undefined;

  function redirect(value: string, path: string): string | undefined {
    if (holdsIdentities && URL.canParse(value, origin + path)) {
      const { pathname, search } = new URL(value, origin + path);
      if (belongsToOther.test(pathname)) return counterpart + pathname + search;
    }
    return reference(value, path);
  }

  return {
    reference,
    redirect,
    links: (value, path) =>
      value.replace(/(^|,)(\s*)<([^>]*)(?:>|$)/g, (_match, comma: string, space: string, target: string) => {
        return `${comma}${space}<${reference(target, path) ?? ''}>`;
      }),
  };
}

function baseOf(url: string, prefix: string): Base {
  const { origin, pathname } = new URL(url);
  return { origin, path: pathname.replace(/\/$/, ''), prefix };
}

const isBelow = (path: string, base: string): boolean => path === base || path.startsWith(`${base}/`);
