/** How many places to go back to are remembered. */
const REMEMBERED = 30;

/**
 * Never leaves the focus on the page itself when what has it is removed: a dialog that closes, a row that was opened, a
 * heading that its page redraws. The focus goes back to the latest place of this page that still stands, through the
 * menu whose item had it, else to the page's heading, as soon as there is one. A button that is closed while it works
 * gets it back when it opens again; until then the focus does not leave the dialog around it. Where somebody lets go of
 * the focus, by a click beside everything, it is not brought back.
 * @returns ends it
 */
export function keepFocus(): () => void {
  let path = location.pathname;
  let trail: HTMLElement[] = [];
  let holder: HTMLElement | undefined;
  /** What is closed for now, and what has the focus in its place. */
  let closed: { place: HTMLElement; instead: HTMLElement | undefined } | undefined;

  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    holder = target;
    if (location.pathname !== path) trail = [];
    path = location.pathname;
    trail = [...trail.filter((place) => place !== target), target].slice(-REMEMBERED);
  };
  const onBlur = ({ target, relatedTarget }: FocusEvent): void => {
    // Some browsers tell of a removal as well, and still before it.
    if (relatedTarget === null) queueMicrotask(() => (target as HTMLElement).isConnected && release(target));
  };
  const release = (from: EventTarget | null): void => {
    if (holder === from && document.hasFocus() && !isDisabled(holder)) holder = undefined;
  };
  const giveBack = (): void => {
    if (closed === undefined || (closed.place.isConnected && isDisabled(closed.place))) return;
    const { place, instead } = closed;
    closed = undefined;
    const { activeElement } = document;
    if (activeElement === document.body || activeElement === instead) place.focus({ preventScroll: true });
  };
  /** Who has gone on in the meantime is left where they are. */
  const onInput = (): void => {
    closed = undefined;
  };
  const onChange = (): void => {
    giveBack();
    if (holder === undefined || document.activeElement !== document.body) return;
    const modal = openModal();
    const inReach = (place: HTMLElement): boolean => canTakeFocus(place) && (modal?.contains(place) ?? true);
    const before = location.pathname === path ? trail.toReversed().map(standIn).find(inReach) : undefined;
    const instead = before ?? modal ?? document.querySelector<HTMLElement>('[data-page-heading]') ?? undefined;
    if (holder.isConnected && isDisabled(holder)) closed = { place: holder, instead };
    instead?.focus({ preventScroll: true });
  };

  const observer = new MutationObserver(onChange);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  addEventListener('focusin', onFocus);
  addEventListener('focusout', onBlur);
  addEventListener('keydown', onInput, true);
  addEventListener('pointerdown', onInput, true);
  return () => {
    observer.disconnect();
    removeEventListener('focusin', onFocus);
    removeEventListener('focusout', onBlur);
    removeEventListener('keydown', onInput, true);
    removeEventListener('pointerdown', onInput, true);
  };
}

/** The item of a menu goes with the menu, whose button stays. */
function standIn(place: HTMLElement): HTMLElement {
  const button = place.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (button && document.getElementById(button)) || place;
}

const openModal = (): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('[aria-modal=true], dialog[open]')].findLast((modal) =>
    modal.checkVisibility({ visibilityProperty: true }),
  );

const isDisabled = (element: HTMLElement | undefined): boolean => element?.matches(':disabled') ?? false;

const canTakeFocus = (place: HTMLElement): boolean =>
  place.isConnected && !isDisabled(place) && place.checkVisibility({ visibilityProperty: true });
