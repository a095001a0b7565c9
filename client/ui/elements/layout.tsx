import type { CSSProperties, ElementType } from 'react';
import classes from './layout.module.css';
import { type ElementProps, classes as join, type PolymorphicProps, type Space, space, styled } from './style-props.ts';

interface Arrangement {
  gap?: Space;
  justify?: CSSProperties['justifyContent'];
  align?: CSSProperties['alignItems'];
}

/** As variables, so that a class of the element may say otherwise, at some width for example. */
function arranged({ gap, justify, align, wrap }: Arrangement & { wrap?: string | undefined }): CSSProperties {
  const style: Record<string, string | undefined> = {};
  if (gap !== undefined) style['--gap'] = space(gap);
  if (justify !== undefined) style['--justify'] = justify;
  if (align !== undefined) style['--align'] = align;
  if (wrap !== undefined) style['--wrap'] = wrap;
  return style as CSSProperties;
}

interface GroupOwn extends Arrangement {
  wrap?: CSSProperties['flexWrap'];
}
export type GroupProps = ElementProps<'div', GroupOwn>;

/** Side by side. */
export function Group<Tag extends ElementType = 'div'>(props: PolymorphicProps<Tag, GroupOwn>) {
  const { component, gap, justify, align, wrap, ...rest } = props as PolymorphicProps<'div', GroupOwn>;
  const Element: ElementType = component ?? 'div';
  return <Element {...styled(rest, join(classes.group), arranged({ gap, justify, align, wrap }))} />;
}

/** One below the other. */
export function Stack<Tag extends ElementType = 'div'>(props: PolymorphicProps<Tag, Arrangement>) {
  const { component, gap, justify, align, ...rest } = props as PolymorphicProps<'div', Arrangement>;
  const Element: ElementType = component ?? 'div';
  return <Element {...styled(rest, join(classes.stack), arranged({ gap, justify, align }))} />;
}

export const Center = (props: ElementProps<'div'>) => <div {...styled(props, join(classes.center))} />;

/** A sheet on the page's background. */
export function Paper<Tag extends ElementType = 'div'>(props: PolymorphicProps<Tag, { withBorder?: boolean }>) {
  const { component, withBorder, ...rest } = props as PolymorphicProps<'div', { withBorder?: boolean }>;
  const Element: ElementType = component ?? 'div';
  return <Element {...styled(rest, join(classes.paper, withBorder && classes.bordered))} />;
}

export const Fieldset = ({ legend, children, ...rest }: ElementProps<'fieldset', { legend: string }>) => (
  <fieldset {...styled(rest, join(classes.fieldset))}>
    <legend>{legend}</legend>
    {children}
  </fieldset>
);

/** A list with bullets. @param spacing between its items */
export function List({ spacing, ...rest }: ElementProps<'ul', { spacing?: Space }>) {
  const style = spacing === undefined ? undefined : ({ '--list-spacing': space(spacing) } as CSSProperties);
  return <ul {...styled(rest, join(classes.list), style)} />;
}
