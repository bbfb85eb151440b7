/**
 * Neutral surfaces, one accent, one typeface (fonts.css): colour is kept for state (theme.css).
 * Source: docs/design/ui.md#principle-5.
 */
import { createTheme, type MantineColorsTuple } from '@mantine/core'
import { shellText } from './texts/shell.ts'

// biome-ignore format: one scale a line
const accent: MantineColorsTuple = ['#eef0fd', '#dde1fa', '#bac1f4', '#949ff0', '#7582ec', '#5868e0', '#4353d0', '#3845b3', '#303b97', '#27307c']
// biome-ignore format: one scale a line
const dark: MantineColorsTuple = ['#e6e7ea', '#c6c8ce', '#a6a9b1', '#878b95', '#5a5e68', '#3a3d45', '#2a2c33', '#1d1f24', '#16171b', '#101114']
// biome-ignore format: one scale a line
const gray: MantineColorsTuple = ['#f8f9fa', '#f1f2f4', '#e6e8eb', '#d9dce1', '#c4c8cf', '#9ba1ac', '#686e7a', '#4a4f59', '#2f333b', '#1b1d22']

/** Called when the button is shown, because the language may change. */
const closes = () => ({ 'aria-label': shellText('dialog.close') })

export const theme = createTheme({
  colors: { accent, dark, gray },
  primaryColor: 'accent',
  // White text on a lighter shade has a contrast below 4.5.
  primaryShade: 6,
  autoContrast: true,
  fontFamily: '"Dashboard Sans", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.375rem', lineHeight: '1.3' }, h2: { fontSize: '1rem', lineHeight: '1.4' }, h3: { fontSize: '0.875rem' } }
  },
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'lg' } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true, events: { hover: true, focus: true, touch: false } } },
    Modal: { defaultProps: () => ({ centered: true, closeButtonProps: closes(), overlayProps: { backgroundOpacity: 0.5 } }) },
    Notification: { defaultProps: () => ({ closeButtonProps: closes() }) },
    // A Select may be the first field of a dialog and gets the focus. Its list must open only on
    // request.
    Select: { defaultProps: { allowDeselect: false, checkIconPosition: 'right', openOnFocus: false } },
    Tabs: { defaultProps: { keepMounted: false } }
  }
})
