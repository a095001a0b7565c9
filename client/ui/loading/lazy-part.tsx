import { type AsyncRouteComponent, CatchBoundary, type lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, Suspense, use } from 'react';
import { MissingPart } from '../feedback/missing-part.ts';
import { MissingPartNotice, MissingPartPanel, RetryOnline } from '../feedback/missing-part-notice.tsx';

type Load = () => Promise<Record<string, unknown>>;

/**
 * A page that is loaded on demand. If loading fails, it throws `MissingPart` where it is rendered; the error's `forget`
 * allows another attempt. (The router's own `lazyRouteComponent` reloads the page by itself, losing whatever was typed.)
 */
export const lazyPage = function lazyPage(load: Load, name: string) {
  let Loaded: ComponentType<object> | undefined;
  let loading: Promise<void> | undefined;
  let missing: MissingPart | undefined;
  let again = false;

  const attempt = async (): Promise<void> => {
    try {
      if (again) await reloadFailedStyles();
      Loaded = (await load())[name] as ComponentType<object>;
    } catch (cause) {
      missing = new MissingPart(cause, forget);
    }
  };
  const start = (): Promise<void> => {
    const started = attempt();
    // React reads this: what was loaded before it is rendered does not suspend.
    void started.then(() => Object.assign(started, { status: 'fulfilled' }));
    return started;
  };
  const forget = (): void => {
    loading = undefined;
    missing = undefined;
    again = true;
  };
  const preload = (): Promise<void> => {
    if (missing !== undefined) forget();
    loading ??= start();
    return loading;
  };
  function LazyPage(props: object): ReactNode {
    loading ??= start();
    use(loading);
    if (Loaded === undefined) throw missing;
    return <Loaded {...props} />;
  }
  return Object.assign(LazyPage, { preload });
} as typeof lazyRouteComponent;

/**
 * A part of a page that is loaded when it is needed. If it fails to load or crashes, the rest of the page stays: a
 * panel says so in its place, or for a dialog a notice in the corner, whose dismissal calls `onClose`.
 * @param fallback in its place while it loads; without one, it is a dialog
 */
export const lazyPart = function lazyPart(load: Load, name: string, fallback?: ReactNode) {
  const Part = lazyPage(load, name) as unknown as AsyncRouteComponent<object>;
  function LazyPart(props: { onClose?: () => void }): ReactNode {
    const { onClose } = props;
    return (
      <CatchBoundary
        getResetKey={() => name}
        errorComponent={({ error, reset }) => (
          <>
            {fallback !== undefined ? (
              <MissingPartPanel error={error} onRetry={reset} />
            ) : (
              <MissingPartNotice error={error} onRetry={reset} onDismiss={onClose && (() => onClose())} />
            )}
            <RetryOnline error={error} onRetry={reset} />
          </>
        )}
      >
        <Suspense fallback={fallback}>
          <Part {...props} />
        </Suspense>
      </CatchBoundary>
    );
  }
  return Object.assign(LazyPart, { preload: Part.preload });
} as <Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  fallback?: ReactNode,
) => Module[Name] extends (props: infer Props) => ReactNode ? AsyncRouteComponent<Props> : never;

/** The bundler's loader requests a style sheet only once, even if it failed: those that failed are requested again. */
async function reloadFailedStyles(): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')];
  await Promise.all(links.filter(({ sheet }) => sheet === null).map(reload));
}

function reload(link: HTMLLinkElement): Promise<void> {
  return new Promise((resolve, reject) => {
    const again = link.cloneNode() as HTMLLinkElement;
    again.addEventListener('load', () => resolve());
    again.addEventListener('error', () => reject(new Error('A style sheet failed to load.')));
    link.replaceWith(again);
  });
}
