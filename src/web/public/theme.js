// Runs before the first paint, so that a chosen theme never flashes. A file, because the page allows no inline scripts.
const theme = localStorage.getItem('theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
